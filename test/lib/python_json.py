#!/usr/bin/env python3
"""Writes a JSON array of rows again, in the ways that Python's json offers.

Usage: python_json.py ROWS.JSON DIRECTORY
Numbers with a fraction become doubles; Python writes the shortest text that reads back as
the same double, so two decimals of an amount survive.
"""

import json
import sys


def write(directory, name, text):
    with open('%s/python_%s' % (directory, name), 'w', encoding='utf-8', newline='') as file:
        file.write(text)


def main():
    source, directory = sys.argv[1:]
    with open(source, encoding='utf-8') as file:
        rows = json.load(file)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    compact = {'separators': (',', ':')}

    write(directory, 'ascii.json', json.dumps(rows))
    write(directory, 'utf8.json', json.dumps(rows, ensure_ascii=False))
    write(directory, 'compact.json', json.dumps(rows, **compact))
    write(directory, 'indented.json', json.dumps(rows, indent=2, sort_keys=True))
    write(directory, 'lines.ndjson', ''.join(json.dumps(row) + '\n' for row in rows))
    write(directory, 'lines_utf8.ndjson', '\r\n'.join(json.dumps(row, ensure_ascii=False) for row in rows))
    write(directory, 'columns.json', json.dumps(columns))
    write(directory, 'columns_utf8.json', json.dumps(columns, ensure_ascii=False, indent=1))


if __name__ == '__main__':
    main()
