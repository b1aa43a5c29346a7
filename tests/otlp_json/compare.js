// Decode OTLP profiles that pipa wrote with protobufjs and compare them with the JSON that pipa wrote.
//
//   node compare.js LAYOUT PROTOBUF JSON
//
// Every field of the message, decoded by the other implementation and mapped to JSON by the rules of OTLP, has to be
// in the JSON, and no other. LAYOUT is 1.10 or 1.9. Exit status: 0 if they are equal, 1 with the first difference.
'use strict';

const fs = require('fs');
const path = require('path');
const protobuf = require('protobufjs');

const [layout, encoded, json] = process.argv.slice(2);
const numbers19 = { values: 2, attribute_indices: 3, link_index: 4 };

// The JSON value of a field; ids are hexadecimal, other bytes base64, 64-bit integers strings.
function jsonValue(field, value) {
	if (field.resolvedType)
		return jsonMessage(field.resolvedType, value);
	switch (field.type) {
	case 'bytes':
		return Buffer.from(value).toString(/^(trace|span)Id$/.test(field.name) ? 'hex' : 'base64');
	case 'int64':
	case 'uint64':
	case 'fixed64':
		return value.toString();
	default:
		return value;
	}
}

function isDefault(field, value) {
	if (field.repeated)
		return value.length === 0;
	if (field.resolvedType || field.partOf)
		return false;
	return value.length === 0 || Number(value) === 0 || value === '';
}

function jsonMessage(type, message) {
	const object = {};

	for (const field of type.fieldsArray) {
		if (!Object.hasOwn(message, field.name))
			continue;
		const value = message[field.name];

		if (value === null || isDefault(field, value))
			continue;
		object[field.name] = field.repeated ? value.map((one) => jsonValue(field, one)) : jsonValue(field, value);
	}
	return object;
}

// Return the path of the first difference, null if there is none.
function difference(want, got, where) {
	if (typeof want !== 'object' || typeof got !== 'object' || want === null || got === null)
		return Object.is(want, got) ? null : `${where}: protobufjs has ${JSON.stringify(want)}, pipa ${JSON.stringify(got)}`;
	for (const key of new Set([...Object.keys(want), ...Object.keys(got)])) {
		const found = difference(want[key], got[key], Array.isArray(want) ? `${where}[${key}]` : `${where}.${key}`);

		if (found)
			return found;
	}
	return null;
}

function countFields(value) {
	if (typeof value !== 'object')
		return 1;
	return Object.values(value).reduce((sum, one) => sum + countFields(one), 0);
}

let source = fs.readFileSync(path.join(__dirname, 'profiles.proto'), 'utf8');
if (layout === '1.9')
	source = source.replace(/message Sample \{[^}]*\}/, (sample) =>
		sample.replace(/(\w+) = \d+;/g, (row, name) => name in numbers19 ? `${name} = ${numbers19[name]};` : row));
const type = protobuf.parse(source).root.resolveAll().lookupType('pipa.otlp.ProfilesData');
const want = jsonMessage(type, type.decode(fs.readFileSync(encoded)));
const got = JSON.parse(fs.readFileSync(json, 'utf8'));
const found = difference(want, got, '');

if (found) {
	console.log(found);
	process.exit(1);
}
console.log(`${countFields(want)} values are equal`);
