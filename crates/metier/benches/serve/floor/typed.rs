//! The official SDK with nothing but a handler behind it.

use std::{io, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::io::stdio_pipes,
};
use serde::Deserialize;
use tokio::runtime::Builder;

use super::Skills;

/// Skills as the SDK wants them.
#[derive(Clone)]
pub(super) struct Typed {
    skills: Arc<Skills>,
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
struct List {
    tools: Vec<Tool>,
}

impl Typed {
    pub(super) fn new(skills: Skills) -> io::Result<Typed> {
        let list: List = serde_json::from_str(&skills.list)?;
        Ok(Typed { skills: Arc::new(skills), tools: list.tools })
    }
}

impl ServerHandler for Typed {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = call.arguments.as_ref().and_then(|it| it.get("name")?.as_str());
        let text = name.and_then(|it| self.skills.text(it));
        let text = text.ok_or_else(|| ErrorData::invalid_params("?", None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

/// On the transport and the runtime that cost rmcp the least.
pub(super) fn serve(skills: Skills) -> io::Result<()> {
    let typed = Typed::new(skills)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let running = typed.serve(stdio_pipes()).await.map_err(io::Error::other)?;
        running.waiting().await.map(|_| ()).map_err(io::Error::other)
    })?;
    // On sockets rmcp leaves a thread in a blocking read.
    runtime.shutdown_background();
    Ok(())
}
