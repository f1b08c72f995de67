import type { Route } from '#functions/storage-api/http/route.ts'
import { servedEndpoints } from '#functions/storage-api/iceberg/catalog.ts'
import { refusedOperations } from '#functions/storage-api/iceberg/refused-operations.ts'
import { insteadOf } from '#functions/storage-api/routes/not-offered.ts'
import { routes } from '#functions/storage-api/routes/routes.ts'
import { knownOperations } from './known-operations.ts'

/** Names of parameters differ between documents; what counts is where they stand. */
const shapeOf = (operation: string): string => operation.replaceAll(/\{\w+\}/g, '{}')

const operationOf = ({ method, definition }: Route): string => `${method.toUpperCase()} ${definition.path}`

const stateOf = (operation: string, route: Route | undefined): string => {
  if (!route) return insteadOf(operation.replace(/^\S+ /, '')) === undefined ? 'not built' : 'refused (501)'
  // A route that works may refuse some requests with 501.
  const works = Object.keys(route.definition.replies).some(status => status.startsWith('2'))
  return works ? 'built' : 'refused (501)'
}

/** `docs/api-coverage.md`: every operation of the storage API with its state, read from the routes. */
export const apiCoverage = (): string => {
  const byShape = new Map(routes.map(route => [shapeOf(operationOf(route)), route]))
  const known = Object.values(knownOperations).flat()
  const states = known.map(([operation]) => stateOf(operation, byShape.get(shapeOf(operation))))
  const count = (state: string): number => states.filter(each => each === state).length
  const knownShapes = new Set(known.map(([operation]) => shapeOf(operation)))
  const beyond = routes.filter(route => !knownShapes.has(shapeOf(operationOf(route))))

  return [
    '# API coverage',
    '',
    '<!-- Written by test/tools/documents/write-api-coverage.ts from the routes; a test fails when it is out of date. -->',
    '',
    `Of ${known.length} operations that clients of the API know, ${count('built')} are built,`,
    `${count('refused (501)')} are refused with what to do instead, and ${count('not built')} are not there. Every path of`,
    'storage exists below `/v2/storage/branch/{branch}/` too.',
    ...Object.entries(knownOperations).flatMap(([area, operations]) => [
      '',
      `## ${area}`,
      '',
      '| operation | described in | state | note |',
      '| --- | --- | --- | --- |',
      ...operations.map(
        ([operation, source, note = '']) =>
          `| \`${operation}\` | [${source}](reference/storage-api.md#${source}) | ${stateOf(operation, byShape.get(shapeOf(operation)))} | ${note} |`,
      ),
    ]),
    '',
    '## Only here',
    '',
    '| operation | what it does |',
    '| --- | --- |',
    ...beyond.map(route => `| \`${operationOf(route)}\` | ${route.definition.summary ?? ''} |`),
    '| `GET /v2/storage/openapi.json` | This API as an OpenAPI 3.1 document |',
    '',
    '## Iceberg catalog',
    '',
    'Below `/iceberg`, without a prefix; described in [iceberg-catalog](reference/storage-api.md#iceberg-catalog).',
    '',
    '| operation | state |',
    '| --- | --- |',
    ...servedEndpoints.map(endpoint => `| \`${endpoint}\` | built |`),
    ...Object.keys(refusedOperations).map(endpoint => `| \`${endpoint}\` | refused (406) |`),
    '',
  ].join('\n')
}
