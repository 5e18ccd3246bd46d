//! The official Rust SDK.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Value, from_value, json};

const VIEW: &str = "ui://interop/view.html";

#[derive(Clone, Default)]
struct Interop {
    cancelled: Arc<Mutex<Vec<String>>>,
}

fn text(text: &str) -> CallToolResult {
    from_value(json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] }))
        .unwrap()
}

async fn tell(context: &RequestContext<RoleServer>, progress: f64, total: f64) {
    if let Some(token) = context.meta.get_progress_token() {
        let params = ProgressNotificationParam::new(token, progress).with_total(total);
        let _ = context.peer.notify_progress(params).await;
    }
}

impl ServerHandler for Interop {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_resources()
                .build(),
        )
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |name: &str, properties: Value| {
            json!({ "name": name, "inputSchema": { "type": "object", "properties": properties } })
        };
        let mut show = tool("show", json!({ "text": { "type": "string" } }));
        show["_meta"] = json!({ "ui": { "resourceUri": VIEW } });
        let tools = json!([
            show,
            tool("count", json!({})),
            tool("wait", json!({ "id": { "type": "string" } })),
            tool("cancelled", json!({})),
        ]);
        Ok(from_value(json!({ "resultType": "complete", "tools": tools })).unwrap())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = Value::Object(request.arguments.unwrap_or_default());
        let result = match request.name.as_ref() {
            "show" => text(given["text"].as_str().unwrap_or_default()),
            "count" => {
                for step in 1..=3 {
                    tell(&context, f64::from(step), 3.0).await;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                text("counted")
            }
            "wait" => {
                tell(&context, 1.0, 2.0).await;
                context.ct.cancelled().await;
                let id = given["id"].as_str().unwrap_or_default().to_owned();
                self.cancelled.lock().unwrap().push(id);
                text("cancelled")
            }
            "cancelled" => text(&json!(*self.cancelled.lock().unwrap()).to_string()),
            _ => return Err(ErrorData::invalid_params("No such tool", None)),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = json!([{ "uri": VIEW, "name": "view" }]);
        Ok(from_value(json!({ "resultType": "complete", "resources": resources })).unwrap())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != VIEW {
            return Err(ErrorData::resource_not_found("No such resource", None));
        }
        let result: ReadResourceResult = from_value(json!({ "resultType": "complete", "contents": [{
            "uri": VIEW,
            "mimeType": "text/html;profile=mcp-app",
            "text": "<!doctype html><title>interop</title>",
            "_meta": { "ui": { "prefersBorder": true } },
        }] }))
        .unwrap();
        Ok(result.into())
    }
}

#[tokio::main]
async fn main() {
    let interop = Interop::default();
    let arguments: Vec<String> = std::env::args().collect();
    if arguments[1] == "stdio" {
        let running = interop.serve(rmcp::transport::stdio()).await.unwrap();
        running.waiting().await.unwrap();
        return;
    }
    let service = StreamableHttpService::new(
        move || Ok(interop.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let address = format!("127.0.0.1:{}", arguments[2]);
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    let router = axum::Router::new().nest_service("/mcp", service);
    axum::serve(listener, router).await.unwrap();
}
