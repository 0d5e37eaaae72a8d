//! Which of two versions is newer, as far as they can be compared.

/// Whether `offered` is surely newer than `installed`: only dotted numbers can be compared, while
/// commits, previews and `unknown` cannot.
pub(crate) fn is_newer(offered: &str, installed: &str) -> bool {
    match (numbers(offered), numbers(installed)) {
        (Some(offered), Some(installed)) => offered > installed,
        _ => false,
    }
}

fn numbers(version: &str) -> Option<Vec<u64>> {
    let version = version.strip_prefix('v').unwrap_or(version);
    if !version.contains('.') {
        return None; // a commit may consist of digits alone
    }
    let mut numbers = version.split('.').map(|it| it.parse().ok()).collect::<Option<Vec<u64>>>()?;
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    Some(numbers)
}
