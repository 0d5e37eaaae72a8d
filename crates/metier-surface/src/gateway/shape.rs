//! Shapes: what clients must find in an item of a list. Most refuse a whole list for one bad item.

use metier_wire::Members;
use serde_json::value::RawValue;

/// The members whose kind matters, each with the characters that its value may begin with.
const KINDS: [(&str, &str); 10] = [
    ("title", "\""),
    ("description", "\""),
    ("mimeType", "\""),
    ("inputSchema", "{"),
    ("outputSchema", "{"),
    ("annotations", "{"),
    ("_meta", "{"),
    ("execution", "{"),
    ("icons", "["),
    ("arguments", "["),
];

/// The members of an item, with those that clients insist on; or what is wrong with it.
pub(super) fn shaped<'a>(
    raw: &'a RawValue,
    missing: Option<(&'static str, &'a RawValue)>,
) -> Result<Members<'a>, String> {
    let mut members = Members::of(raw).ok_or("it is no object")?;
    // Some programs write what they do not have as null.
    members.0.retain(|(key, value)| {
        value.get() != "null" || !KINDS.iter().any(|(known, _)| key == known)
    });
    for (key, value) in &members.0 {
        let kind = KINDS.iter().find(|(known, _)| key == known);
        if kind.is_some_and(|(_, begin)| !value.get().starts_with(*begin)) {
            return Err(format!("its `{key}` is of another kind than the protocol says"));
        }
    }
    if let Some((key, value)) = missing
        && members.get(key).is_none()
    {
        members.0.push((key.into(), value));
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::shaped;

    #[track_caller]
    fn check(item: &str, expected: Result<&str, &str>) {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let (item, schema) = (raw(item), raw("{}"));
        let shaped = shaped(&item, Some(("inputSchema", &*schema)));
        let shaped = shaped.map(|it| serde_json::to_string(&it).unwrap());
        assert_eq!(shaped.as_deref(), expected.map_err(str::to_owned).as_ref().copied());
    }

    #[test]
    fn what_clients_insist_on_is_there_and_what_they_refuse_is_not() {
        check(r#"{"name":"a","x":1}"#, Ok(r#"{"name":"a","x":1,"inputSchema":{}}"#));
        check(r#"{"inputSchema":{"type":"object"}}"#, Ok(r#"{"inputSchema":{"type":"object"}}"#));
        check(r#"{"title":null}"#, Ok(r#"{"inputSchema":{}}"#));
        let wrong = "its `icons` is of another kind than the protocol says";
        check(r#"{"icons":"x"}"#, Err(wrong));
    }
}
