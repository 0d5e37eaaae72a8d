//! Things under way: futures that are kept while others are waited for.

use std::pin::Pin;

/// Something that may be under way.
pub(crate) type Doing<T> = Option<Pin<Box<dyn Future<Output = T> + Send>>>;

/// Resolves with what something under way comes to; never, if nothing is.
pub(crate) async fn doing<T>(doing: &mut Doing<T>) -> T {
    match doing {
        Some(future) => {
            let value = future.await;
            *doing = None;
            value
        }
        None => std::future::pending().await,
    }
}
