"""All cases, by what they are about."""

from __future__ import annotations

from tests.bad_inputs import (
    archives,
    csv_files,
    csv_values,
    m5_tables,
    params_names,
    params_values,
    params_yaml,
)
from tests.bad_inputs.case import Case

GROUPS: dict[str, list[Case]] = {
    "CSV: encoding": csv_files.ENCODING,
    "CSV: form and columns": csv_files.FORM,
    "CSV: names and rows": csv_files.NAMES,
    "CSV: numbers": [*csv_values.NUMBERS, *csv_values.SIZES],
    "CSV: dates": csv_values.TIMES,
    "CSV: settings and length": [*csv_values.SETTINGS, *csv_values.SHORT],
    "params.yaml: file and syntax": [*params_yaml.FILES, *params_yaml.SYNTAX],
    "params.yaml: groups": params_yaml.GROUPS,
    "params.yaml: types and ranges": [*params_values.TYPES, *params_values.MODELS],
    "params.yaml: hostile names": params_names.NAMES,
    "params.yaml: references": params_names.REFERENCES,
    "archives: zips": archives.ZIPS,
    "archives: raw and prepared files": [*m5_tables.RAWS, *m5_tables.WEEKLIES],
    "archives: rossmann, mirrors": [*archives.ROSSMANNS, *archives.MIRRORS],
}
CASES = [case for group in GROUPS.values() for case in group]
