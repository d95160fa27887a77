//! XPath.

use super::large::large_tree;
use super::*;

#[test]
fn xpath_walks_the_axes() {
    let cases = [
        ("//button[@name='Save']", 2),
        ("/window/toolbar/button", 4),
        ("/window//button[not(@enabled='true')]", 1),
        ("/dialog//*[contains(@name, 'eport')]", 2),
        ("//listitem[last()]", 1),
        ("(//button)[1]", 1),
        ("(//button)[last()]", 1),
        ("//text[.='Name:']/following-sibling::textbox", 1),
        ("//listitem[starts-with(@name,'report') or ends-with(@name, '.pdf')]", 2),
        ("//listitem[2]/..", 1),
        ("//listitem/ancestor::dialog", 1),
        ("//list[listitem]", 1),
        ("//list[count(listitem) = 3]", 1),
        ("//*[@checked]", 1),
        ("//textbox[@value='Dear reader']", 1),
        ("//slider[@value > 49]", 1),
        ("//button | //slider", 7),
        ("//listitem[position() < 3]", 2),
        ("//listitem[@selected]/preceding-sibling::*[1]", 1),
        ("//push-button[lower-case(@name)='ok']", 1),
        ("//dialog/descendant::button", 2),
        ("//menuitem[normalize-space(@name)='File']/following::slider", 1),
        ("//slider/preceding::menuitem", 2),
        ("//button[@name=\"nothing\"]", 0),
        ("//menuitem[1]", 1),
        ("//button[@name='Save'][1]", 2),
        ("//button[contains(@name, 'Save')][not(@disabled)]", 2),
        ("//listitem[position() = last()]", 1),
        ("//list//*[2]", 1),
        ("/", 1),
    ];
    let tree = tree(EDITOR);
    for (query, count) in cases {
        let query = Query::parse(query, Strategy::Xpath).unwrap_or_else(|error| panic!("{query}: {error}"));
        assert_eq!(query.find(&tree, Search::default()).expect("cheap").total, count, "{}", query.text());
    }
}

#[test]
fn a_costly_xpath_ends_with_an_error() {
    let tree = large_tree(2_000);
    let query = Query::parse("//*[//*[//*[//*]]]", Strategy::Xpath).expect("it is well formed");
    // That it ends is what is tested: to look at them all would take days.
    let error = query.find(&tree, Search::default()).expect_err("it would look at 10^13 elements");
    assert_eq!(error.code, ErrorCode::InvalidQuery);
}
