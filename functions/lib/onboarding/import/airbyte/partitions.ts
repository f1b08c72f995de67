import { type Expression, withParts } from '#lib/extractor/values/functions/expression/expression-tree.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { member, pathIn, written } from '../translate.ts'
import { type RequestOption, requestOption } from './options.ts'
import { expressionOf, type PartitionField, readText, type Scope } from './values.ts'

export interface Partition {
  fields: [string, PartitionField][]
  /** What a partition adds to each request. */
  values: { option: RequestOption; value: Json }[]
  /** The stream whose rows are the partitions, the path of the key in them, whether only changed ones count, and which do. */
  parent?: { name: string; key: string; isDependent: boolean; filter: Expression | undefined }
}

const MOST_VALUES = 200

/** One partition of a stream without a router. Otherwise one for each value of a list and each parent, and their combinations. */
export const partitionsOf = (given: Json | undefined, path: string, scope: Scope): Partition[] => {
  const whole: Partition = { fields: [], values: [] }
  const routers = [given ?? []].flat().filter(isObject)
  const all = routers.map((router, index) =>
    readRouter(router, routers.length === 1 ? path : `${path}.${index}`, scope),
  )
  const combined = all.reduce<Partition[]>(
    (sets, one) => sets.flatMap(set => one.map(part => merged(set, part))),
    [whole],
  )
  if (
    all.filter(one => one.some(({ parent }) => parent !== undefined)).length < 2 &&
    combined.length <= MOST_VALUES
  )
    return combined
  scope.report.lost(
    path,
    'combinations of the rows of two streams, or too many of lists: it is left out',
    'rows',
  )
  return []
}

const merged = (one: Partition, other: Partition): Partition => ({
  ...one,
  ...other,
  fields: [...one.fields, ...other.fields],
  values: [...one.values, ...other.values],
  ...((other.parent ?? one.parent) === undefined
    ? {}
    : { parent: (other.parent ?? one.parent) as NonNullable<Partition['parent']> }),
})

const readRouter = (router: JsonObject, path: string, scope: Scope): Partition[] => {
  const { report } = scope
  const valuesOf = (given: Json | undefined, value: Json): Partition['values'] => {
    const option = requestOption(given, `${path}.request_option`, scope)
    return option === undefined ? [] : [{ option, value }]
  }
  switch (router['type']) {
    case 'SubstreamPartitionRouter':
      return [router['parent_stream_configs'] ?? []]
        .flat()
        .filter(isObject)
        .map((config, index) => {
          report.unread(config, `${path}.parent_stream_configs.${index}`, [
            ...[
              'type',
              'stream',
              'parent_key',
              'partition_field',
              'request_option',
              'incremental_dependency',
            ],
            ...['extra_fields'],
          ])
          const stream = isObject(config['stream']) ? config['stream'] : {}
          const below = `${path}.parent_stream_configs.${index}.stream`
          const key = parentKey(stream, String(config['parent_key']).replaceAll('/', '.'), below, scope)
          const field = String(config['partition_field'])
          const extra = [config['extra_fields'] ?? []]
            .flat(1)
            .map(keys => [keys].flat().map(String).join('.'))
          return {
            fields: [
              [field, key.field],
              ...extra.map((name): [string, PartitionField] => [
                name,
                { made: member('parent', name.split('.')) },
              ]),
              ...above(stream, below, scope),
            ],
            values: valuesOf(config['request_option'], written(key.field.made)),
            parent: {
              name: String(stream['name']),
              key: key.path,
              isDependent: config['incremental_dependency'] === true,
              filter: filterOf(stream, below, scope),
            },
          }
        })
    case 'ListPartitionRouter': {
      const field = String(expressionOf(router['cursor_field'] ?? '', `${path}.cursor_field`, scope) ?? '')
      const read = router['values']
      const known = typeof read === 'string' ? expressionOf(read, `${path}.values`, scope, 'rows') : read
      const values = typeof known === 'string' ? known.split(',').map(value => value.trim()) : known
      if (!Array.isArray(values) || values.length === 0 || values.length > MOST_VALUES) {
        report.lost(`${path}.values`, 'the list is not known, or too long: give it with --settings', 'rows')
        return []
      }
      return values.map((value, index) => {
        const one = expressionOf(value, `${path}.values.${index}`, scope, 'rows') ?? ''
        return { fields: [[field, { value: one }]], values: valuesOf(router['request_option'], one) }
      })
    }
    default:
      report.lost(
        path,
        `a partition router of the type ${String(router['type'])}: the stream is left out`,
        'rows',
      )
      return []
  }
}

/** Children see rows as the API has them, so what the parent leaves out is left out again. */
const filterOf = (stream: JsonObject, path: string, scope: Scope): Expression | undefined => {
  const retriever = isObject(stream['retriever']) ? stream['retriever'] : {}
  const selector = isObject(retriever['record_selector']) ? retriever['record_selector'] : {}
  const { condition } = isObject(selector['record_filter']) ? selector['record_filter'] : {}
  if (typeof condition !== 'string' || condition === '') return undefined
  return readText(condition, `${path}.retriever.record_selector.record_filter`, {
    ...scope,
    names: { record: 'parent' },
  })
}

/**
 * What a key of a parent row is in the row that the API has, which is what children see: a key that a transformation of the parent makes
 * is made here again, of the same fields. With `path`, a field that the row has to have.
 */
const parentKey = (
  stream: JsonObject,
  key: string,
  path: string,
  scope: Scope,
  level = 1,
): { path: string; field: { made: Expression } } => {
  const root = level === 1 ? 'parent' : `parent${level}`
  const added = [stream['transformations'] ?? []]
    .flat()
    .filter(isObject)
    .flatMap(one => [one['fields'] ?? []].flat().filter(isObject))
    .find(field => [field['path']].flat().map(String).join('.') === key)
  const text = String(added?.['value'] ?? '')
  const asItIs = { path: key, field: { made: member(root, key.split('.')) } }
  // What is only of the rows above is no field that a row has to have
  if (!/\brecord\b/.test(text)) return asItIs
  const inRow: Scope = {
    ...scope,
    names: { record: root },
    partition: new Map(ofRouter(stream, path, scope, level + 1)),
  }
  const made = readText(text, `${path}.transformations`, inRow, 'rows')
  const [first] = made === undefined ? [] : pathsIn(made, root)
  return made === undefined || first === undefined ? asItIs : { path: first, field: { made } }
}

/** Paths below a name that an expression reads. */
const pathsIn = (expression: Expression, root: string): string[] => {
  const path = pathIn(expression, root)
  if (path !== undefined) return [path]
  const found: string[] = []
  withParts(expression, part => {
    found.push(...pathsIn(part, root))
    return part
  })
  return found
}

/** Values of the partition that a parent row was read for, by their names there and, with `parent_slice`, those above. */
const ofRouter = (stream: JsonObject, path: string, scope: Scope, level = 2): [string, PartitionField][] => {
  const retriever = isObject(stream['retriever']) ? stream['retriever'] : {}
  const [router] = [retriever['partition_router'] ?? []].flat().filter(isObject)
  const [config] = [router?.['parent_stream_configs'] ?? []].flat().filter(isObject)
  if (config === undefined) return []
  const parent = isObject(config['stream']) ? config['stream'] : {}
  const key = String(config['parent_key']).replaceAll('/', '.')
  return [
    [String(config['partition_field']), parentKey(parent, key, path, scope, level).field],
    ...above(parent, path, scope, level + 1),
  ]
}

const above = (stream: JsonObject, path: string, scope: Scope, level = 2): [string, PartitionField][] =>
  ofRouter(stream, path, scope, level).map(([name, field]) => [`parent_slice.${name}`, field])
