"""An independent validator of the configuration's schema: ``validate.py SCHEMA``.

It runs with the system's Python. Each line of its input is a YAML document as a JSON text,
and is answered with what PyYAML makes of it and what jsonschema says to that:
``{"read": …, "wrong": [[path, message], …]}``.
"""

import json
import sys

import jsonschema
import yaml

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
for line in sys.stdin:
    document = yaml.safe_load(json.loads(line))
    wrong = [[error.json_path, error.message] for error in validator.iter_errors(document)]
    print(json.dumps({"read": document, "wrong": wrong}), flush=True)
