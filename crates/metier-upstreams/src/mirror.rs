//! Stand-in.
use serde_json::value::RawValue;
#[derive(Clone, Debug)]
pub(crate) struct Mirrored;
pub(crate) fn mirrored(_schema: Option<&RawValue>) -> Result<Box<[Mirrored]>, String> {
    Ok(Box::default())
}
pub(crate) fn headers(
    _mirrored: &[Mirrored],
    _arguments: Option<&RawValue>,
) -> Vec<(String, String)> {
    Vec::new()
}
