/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../lab/process/paths';
import { nodesReference } from './nodes';

void nodesReference().then((text) => writeFileSync(path.join(projectRoot, 'docs/nodes.md'), text));
