//! The client that the conformance suite judges: uses all that a server offers, through the crate.
//!
//! `conformance_client URL`. The suite says in `MCP_CONFORMANCE_CONTEXT` which calls it wants; every
//! other tool is called once, with arguments made from its schema.

use std::{env, error::Error, sync::Arc, time::Duration};

use metier_upstreams::{
    Answering, Caller, Endpoint, Fallback, Identity, Plan, Request, Roster, Secrets, ServerName,
    ServerSpec, Site, Upstreams,
};
use serde_json::{
    Map, Value, json,
    value::{RawValue, to_raw_value},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().next_back().ok_or("which URL?")?.parse()?;
    let site = Site { url, headers: Secrets::default() };
    let name = ServerName::new("suite")?;
    let endpoint = Endpoint::Http { site, fallback: Fallback::None };
    let plan = Plan { servers: vec![ServerSpec::new(name.clone(), endpoint)], ..Plan::default() };
    let capabilities =
        json!({ "elicitation": { "applyDefaults": true }, "sampling": {}, "roots": {} });
    let identity = Identity::capable("metier", env!("CARGO_PKG_VERSION"), capabilities);
    let upstreams = Upstreams::start(identity, plan);
    let roster = upstreams.settled(Duration::from_secs(30)).await;
    let phase = roster.server(&name).map(|it| it.standing.phase.clone());
    eprintln!("{phase:?}");
    call_tools(&upstreams, &roster).await?;
    use_the_rest(&upstreams, &roster, &name).await?;
    upstreams.stop().await;
    Ok(())
}

async fn call_tools(upstreams: &Upstreams, roster: &Roster) -> Result<(), Box<dyn Error>> {
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let wanted = context["toolCalls"].as_array().cloned().unwrap_or_default();
    for call in &wanted {
        let id = format!("suite:{}", call["name"].as_str().unwrap_or_default());
        call_tool(upstreams, &id, &call["arguments"]).await?;
    }
    for entry in roster.tools().entries() {
        if !wanted.iter().any(|call| call["name"] == *entry.tool.name) {
            let schema = entry.tool.input_schema().map_or("{}", RawValue::get);
            let schema: Value = serde_json::from_str(schema)?;
            let mut arguments = sample(&schema);
            // One scenario wants to see what was kept of the schema of another tool.
            if let (Some(echoed), true) = (
                roster.tools().get("suite:json_schema_2020_12_tool"),
                arguments.get("schema").is_some(),
            ) {
                let schema = echoed.tool.input_schema().map_or("{}", RawValue::get);
                arguments["schema"] = serde_json::from_str(schema)?;
            }
            call_tool(upstreams, &entry.id, &arguments).await?;
        }
    }
    Ok(())
}

async fn call_tool(
    upstreams: &Upstreams,
    id: &str,
    arguments: &Value,
) -> Result<(), Box<dyn Error>> {
    let arguments = to_raw_value(arguments)?;
    let outcome = upstreams.call(id, Some(&arguments), Arc::new(Agreeable)).await;
    eprintln!("{id}: {outcome:?}");
    Ok(())
}

async fn use_the_rest(
    upstreams: &Upstreams,
    roster: &Roster,
    name: &ServerName,
) -> Result<(), Box<dyn Error>> {
    let Some(offer) = roster.server(name).and_then(|it| it.standing.offer.clone()) else {
        return Err("the server is not ready".into());
    };
    for resource in &offer.resources {
        let read = upstreams.read(name, &resource.key, Arc::new(Agreeable)).await;
        eprintln!("{}: {read:?}", resource.key);
    }
    for prompt in &offer.prompts {
        let key = to_raw_value(&prompt.key)?;
        let params = [("name", &*key)];
        let mut request = Request::default();
        (request.method, request.params) = ("prompts/get", &params);
        let got = upstreams.request(name, request, Arc::new(Agreeable)).await;
        eprintln!("{}: {got:?}", prompt.key);
    }
    Ok(())
}

/// A caller who agrees to everything.
struct Agreeable;

impl Caller for Agreeable {
    fn asked<'a>(&'a self, method: &'a str, params: Option<&'a RawValue>) -> Answering<'a> {
        Box::pin(async move {
            let params: Value =
                params.and_then(|it| serde_json::from_str(it.get()).ok()).unwrap_or_default();
            let answer = match method {
                "elicitation/create" => {
                    json!({ "action": "accept", "content": sample(&params["requestedSchema"]) })
                }
                "sampling/createMessage" => json!({
                    "role": "assistant",
                    "content": { "type": "text", "text": "yes" },
                    "model": "none",
                }),
                "roots/list" => json!({ "roots": [] }),
                _ => return ().asked(method, None).await,
            };
            to_raw_value(&answer).map_err(|error| metier_wire::Error::internal(error.to_string()))
        })
    }
}

/// An object that a schema allows: defaults where it has them, else something of the right type.
fn sample(schema: &Value) -> Value {
    let Some(properties) = schema["properties"].as_object() else { return json!({}) };
    let members = properties.iter().map(|(name, schema)| {
        let value = match (&schema["default"], schema["type"].as_str()) {
            (Value::Null, Some("integer" | "number")) => json!(1),
            (Value::Null, Some("boolean")) => json!(true),
            (Value::Null, Some("array")) => json!([]),
            (Value::Null, Some("object")) => sample(schema),
            (Value::Null, _) => schema["enum"].get(0).cloned().unwrap_or_else(|| json!("text")),
            (default, _) => default.clone(),
        };
        (name.clone(), value)
    });
    Value::Object(members.collect::<Map<String, Value>>())
}
