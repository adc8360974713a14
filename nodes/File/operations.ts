import { ENDPOINTS } from '../../src/api';
import { inBody, type Operation } from '../../src/fields/operation';
import { binaryField } from '../../src/fields/rules';

const upload: Operation = {
	value: 'upload',
	name: 'Upload',
	action: 'Upload a file',
	description:
		'Send a file to the service and output the URL that media fields take. Costs nothing.',
	spec: { endpoint: ENDPOINTS.createFile, output: 'file' },
	fields: [
		{
			displayName: 'Input Binary Field',
			name: 'inputBinaryField',
			type: 'string',
			required: true,
			default: 'data',
			placeholder: 'e.g. data',
			hint: 'The name of the input binary field containing the file to be uploaded',
			description:
				'The file to upload. Its name, type and size are sent to the service first, then the file itself as a stream.',
			mapping: inBody('file', binaryField()),
		},
	],
};

export const operations: Operation[] = [upload];
