//! Lists have one page.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// Lets pass a request for the only page of a list.
///
/// # Errors
/// Invalid parameters if it asks for another: no answer ever gave a cursor.
pub(crate) fn only_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    if request.is_some_and(|request| request.cursor.is_some()) {
        return Err(ErrorData::invalid_params("'cursor' is unknown: this list has one page", None));
    }
    Ok(())
}
