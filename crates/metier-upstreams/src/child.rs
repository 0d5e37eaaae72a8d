//! Stand-in.
pub struct Stderr;
pub(crate) struct Child;
impl Child {
    pub(crate) async fn ended(&mut self) -> String {
        std::future::pending().await
    }
    pub(crate) async fn stop(self) {}
    pub(crate) fn stderr(&self) -> std::sync::Arc<Stderr> {
        std::sync::Arc::new(Stderr)
    }
}
