"""Documents of the OASIS format, written and read with Python's own zip and XML."""

import xml.etree.ElementTree as ElementTree
import xml.sax.saxutils
import zipfile

_SPACES = {name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "text", "table", "style", "manifest")}
_SPACES["fo"] = "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
_KIND = "application/vnd.oasis.opendocument."


def name(qualified):
    """`text:p` as ElementTree has it."""
    space, _, local = qualified.partition(":")
    return f"{{{_SPACES[space]}}}{local}"


def _write(path, kind, body):
    spaces = " ".join(f'xmlns:{prefix}="{address}"' for prefix, address in _SPACES.items())
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", _KIND + kind)
        archive.writestr("META-INF/manifest.xml", f'<manifest:manifest {spaces} manifest:version="1.3">'
                         f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_KIND}{kind}"/>'
                         '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>')
        archive.writestr("content.xml", f'<office:document-content {spaces} office:version="1.3"><office:body>{body}</office:body>'
                         '</office:document-content>')


def write_text(path, paragraphs):
    """A text document."""
    lines = "".join(f"<text:p>{xml.sax.saxutils.escape(line)}</text:p>" for line in paragraphs)
    _write(path, "text", f"<office:text>{lines}</office:text>")


def write_sheet(path, rows):
    """A spreadsheet with one sheet; numbers stay numbers."""
    def cell(value):
        shown = xml.sax.saxutils.escape(str(value))
        kind = "string" if isinstance(value, str) else f'float" office:value="{value}'
        return f'<table:table-cell office:value-type="{kind}"><text:p>{shown}</text:p></table:table-cell>'
    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    _write(path, "spreadsheet", f'<office:spreadsheet><table:table table:name="Sheet1">{lines}</table:table></office:spreadsheet>')


def body(path):
    """The body of a document. A file that is just being written is no failure of the reader but a result that is not there yet."""
    return content(path).find(name("office:body"))


def content(path):
    """The whole `content.xml`."""
    try:
        with zipfile.ZipFile(path) as archive:
            return ElementTree.fromstring(archive.read("content.xml"))
    except (OSError, KeyError, zipfile.BadZipFile, ElementTree.ParseError) as fault:
        raise AssertionError(f"{path} cannot be read: {fault}") from fault


def paragraphs(path):
    """Headings and paragraphs of a text document: pairs of the element and its text."""
    wanted = (name("text:p"), name("text:h"))
    return [(each, "".join(each.itertext())) for each in body(path).iter() if each.tag in wanted]


def cells(path):
    """The cells of the first sheet: rows of pairs of the element and its text, without what is empty at the ends."""
    rows = []
    for row in body(path).iter(name("table:table-row")):
        if int(row.get(name("table:number-rows-repeated"), "1")) > 1000:
            continue
        line = []
        for cell in row.iter(name("table:table-cell")):
            count = min(int(cell.get(name("table:number-columns-repeated"), "1")), 50)
            line += [(cell, "\n".join("".join(part.itertext()) for part in cell.iter(name("text:p"))))] * count
        while line and not line[-1][1]:
            line.pop()
        rows.append(line)
    while rows and not rows[-1]:
        rows.pop()
    return rows


def texts(path):
    """The texts of the cells of the first sheet."""
    return [[text for _, text in row] for row in cells(path)]


def style(path, element, family):
    """The properties that an element's automatic style has: {`fo:font-weight`: `bold`}, by local names."""
    wanted = element.get(name(f"{family}:style-name"))
    found = {}
    for each in content(path).iter(name("style:style")):
        if each.get(name("style:name")) == wanted:
            found["parent"] = each.get(name("style:parent-style-name"))
            for part in each:
                found.update({key.rpartition("}")[2]: value for key, value in part.attrib.items()})
    return found
