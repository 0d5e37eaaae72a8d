//! The client that the conformance suite judges: uses all that a server offers, through the crate.
//!
//! `conformance_client URL`. The suite says in `MCP_CONFORMANCE_CONTEXT` which calls it wants; every
//! other tool is called once, with arguments made from its schema. What comes of it is not looked at:
//! the suite is the server, and sees what it was asked.

use std::{env, error::Error, sync::Arc};

use metier_upstreams::{
    Answering, CONNECT_TIMEOUT, Caller, Endpoint, Fallback, Identity, Plan, Request, Roster,
    Secrets, Server, ServerName, ServerSpec, Site, Upstreams,
};
use serde_json::{
    Map, Value, json,
    value::{RawValue, to_raw_value},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().next_back().unwrap_or_default().parse()?;
    let site = Site { url, headers: Secrets::default() };
    let endpoint = Endpoint::Http { site, fallback: Fallback::None };
    let spec = ServerSpec::new(ServerName::new("suite")?, endpoint);
    let plan = Plan { servers: vec![spec], ..Plan::default() };

    let upstreams = Upstreams::start(identity(), plan);
    let roster = upstreams.settled(CONNECT_TIMEOUT).await;
    call_tools(&upstreams, &roster).await?;
    for server in roster.servers() {
        use_the_rest(&upstreams, server).await?;
    }
    upstreams.stop().await;
    Ok(())
}

/// A client that can do for a server all that a server may ask.
fn identity() -> Identity {
    let capabilities =
        json!({ "elicitation": { "applyDefaults": true }, "sampling": {}, "roots": {} });
    Identity::capable("metier", env!("CARGO_PKG_VERSION"), capabilities)
}

/// Calls every tool: those that the suite wants as it wants it, the others in any way they allow.
async fn call_tools(upstreams: &Upstreams, roster: &Roster) -> Result<(), Box<dyn Error>> {
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let wanted = context["toolCalls"].as_array().cloned().unwrap_or_default();
    for entry in roster.tools().entries() {
        let mut calls = wanted.iter().filter(|call| call["name"] == *entry.tool.name).peekable();
        if calls.peek().is_none() {
            let arguments = arguments(entry.tool.input_schema(), roster)?;
            call(upstreams, &entry.id, &arguments).await?;
        }
        for wanted in calls {
            call(upstreams, &entry.id, &wanted["arguments"]).await?;
        }
    }
    Ok(())
}

async fn call(upstreams: &Upstreams, id: &str, arguments: &Value) -> Result<(), Box<dyn Error>> {
    let arguments = to_raw_value(arguments)?;
    let _ = upstreams.call(id, Some(&arguments), Arc::new(Agreeable)).await;
    Ok(())
}

/// Reads every resource and gets every prompt.
async fn use_the_rest(upstreams: &Upstreams, server: &Server) -> Result<(), Box<dyn Error>> {
    let Some(offer) = &server.standing.offer else {
        return Err(format!("the server is {:?}", server.standing.phase).into());
    };
    for resource in &offer.resources {
        let _ = upstreams.read(server.name(), &resource.key, Arc::new(Agreeable)).await;
    }
    for prompt in &offer.prompts {
        let name = to_raw_value(&prompt.key)?;
        let params = [("name", &*name)];
        let request = Request::new("prompts/get", &params);
        let _ = upstreams.request(server.name(), request, Arc::new(Agreeable)).await;
    }
    Ok(())
}

/// A caller who agrees to everything.
struct Agreeable;

impl Caller for Agreeable {
    fn asked<'a>(&'a self, method: &'a str, params: Option<&'a RawValue>) -> Answering<'a> {
        Box::pin(async move {
            let params = params.map_or("{}", RawValue::get);
            let params: Value = serde_json::from_str(params).unwrap_or_default();
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

/// Arguments that a schema allows. A tool that takes a schema is one of the suite's: it wants to see
/// what was kept of that of another.
fn arguments(schema: Option<&RawValue>, roster: &Roster) -> serde_json::Result<Value> {
    let read = |schema: Option<&RawValue>| serde_json::from_str(schema.map_or("{}", RawValue::get));
    let mut arguments = sample(&read(schema)?);
    let shown = roster.tools().get("suite:json_schema_2020_12_tool");
    if let (Some(shown), Some(place)) = (shown, arguments.get_mut("schema")) {
        *place = read(shown.tool.input_schema())?;
    }
    Ok(arguments)
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
