//! Stand-in.
use tokio::process::{ChildStdin, ChildStdout};
pub struct Stderr;
pub(crate) struct Child;
#[derive(Default)]
pub(crate) struct Guard;
impl Child {
    pub(crate) fn start(
        _: &crate::Program,
        _: &tokio_util::task::TaskTracker,
        _: &Guard,
    ) -> Result<(Child, ChildStdout, ChildStdin), crate::connect::ConnectError> {
        Err(crate::connect::ConnectError::permanent("no"))
    }
    pub(crate) async fn ended(&mut self) -> String {
        std::future::pending().await
    }
    pub(crate) async fn stop(self) {}
    pub(crate) fn stderr(&self) -> std::sync::Arc<Stderr> {
        std::sync::Arc::new(Stderr)
    }
}
