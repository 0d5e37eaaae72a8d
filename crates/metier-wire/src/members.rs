//! Objects by their members: each value as it was sent, in the order it was sent.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{text::Text, write};

/// The members of an object, in their order.
#[derive(Clone, Debug, Default)]
pub struct Members<'a>(pub Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// The members of a value; none if it is no object.
    #[must_use]
    pub fn of(raw: &'a RawValue) -> Option<Members<'a>> {
        serde_json::from_str(raw.get()).ok()
    }

    /// The value of a member; the last one counts, as it does for most readers.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(it, _)| it == key).map(|(_, value)| *value)
    }

    /// The text of a member that is a string.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        serde_json::from_str::<Text<'a>>(self.get(key)?.get()).ok().map(|it| it.0)
    }

    /// Appends the object with another text for the members `key`.
    pub fn write_with(&self, out: &mut Vec<u8>, key: &str, text: &str) {
        out.push(b'{');
        for (at, (name, value)) in self.0.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write::json(out, name);
            out.push(b':');
            if name == key {
                write::json(out, text);
            } else {
                out.extend_from_slice(value.get().as_bytes());
            }
        }
        out.push(b'}');
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'a>, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::with_capacity(8);
                while let Some((Text(key), value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::Members;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn another_name_leaves_every_other_member_as_it_was_sent() {
        let object = raw(r#"{"x":1.50, "n\u0061me":"a","y":{"name":[ 1 ]}}"#);
        let mut out = Vec::new();
        Members::of(&object).unwrap().write_with(&mut out, "name", "b\"c");
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{"x":1.50,"name":"b\"c","y":{"name":[ 1 ]}}"#
        );
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        for json in ["null", "[]", "\"{}\"", "7"] {
            assert!(Members::of(&raw(json)).is_none(), "{json}");
        }
        assert_eq!(Members::of(&raw("{}")).unwrap().0.len(), 0);
    }

    #[test]
    fn the_last_of_two_members_counts() {
        let object = raw(r#"{"a":"x","b":2,"a":"y"}"#);
        let members = Members::of(&object).unwrap();
        assert_eq!(members.text("a").as_deref(), Some("y"));
        assert_eq!(members.text("b"), None);
        assert_eq!(members.get("c").map(RawValue::get), None);
    }
}
