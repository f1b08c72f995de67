import { isObject } from '#lib/extractor/php/php-values.ts'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import type { Scope } from './values.ts'

interface Partition {
  fields: Scope['partition']
  /** What a partition adds to each request. */
  params: JsonObject
  /** Name of the stream whose rows are the partitions. */
  parent?: string | undefined
}

const MOST_VALUES = 200

/** Whole: the one partition of a stream without a router. Several: one for each value of a list. */
export const partitionsOf = (
  given: Json | undefined,
  path: string,
  { report, attributes }: Omit<Scope, 'partition'>,
): Partition[] => {
  const whole: Partition = { fields: new Map(), params: {} }
  const [router, ...others] = [given ?? []].flat().filter(isObject)
  if (router === undefined) return [whole]
  if (others.length > 0) report.lost(path, 'only the first of several partition routers is taken')
  switch (router['type']) {
    case 'SubstreamPartitionRouter': {
      const [config, ...more] = [router['parent_stream_configs'] ?? []].flat().filter(isObject)
      if (config === undefined) return [whole]
      if (more.length > 0)
        report.lost(`${path}.parent_stream_configs`, 'only the first of several parent streams is taken')
      report.unread(config, `${path}.parent_stream_configs.0`, [
        ...['type', 'stream', 'parent_key', 'partition_field', 'request_option', 'incremental_dependency'],
      ])
      const key = String(config['parent_key']).replaceAll('/', '.')
      const field = String(config['partition_field'])
      const stream = isObject(config['stream']) ? config['stream'] : {}
      return [
        {
          fields: new Map([[field, { parent: key }]]),
          params: optionOf(config['request_option'], { parent: key }, `${path}.request_option`, report),
          parent: String(stream['name']),
        },
      ]
    }
    case 'ListPartitionRouter': {
      const field = String(router['cursor_field'])
      const named = /^\{\{\s*config(?:\[['"](\w+)['"]\]|\.(\w+))\s*\}\}$/.exec(String(router['values']))
      const known = named === null ? router['values'] : attributes.known(named[1] ?? named[2] ?? '')
      const values = typeof known === 'string' ? known.split(',').map(value => value.trim()) : known
      if (!Array.isArray(values) || values.length === 0 || values.length > MOST_VALUES) {
        report.lost(`${path}.values`, 'the list is not known, or too long: give it with --settings')
        return []
      }
      return values.map(value => ({
        fields: new Map([[field, { value }]]),
        params: optionOf(router['request_option'], value, `${path}.request_option`, report),
      }))
    }
    default:
      report.lost(path, `a partition router of the type ${String(router['type'])}`)
      return []
  }
}

const optionOf = (
  given: Json | undefined,
  value: Json,
  path: string,
  report: Scope['report'],
): JsonObject => {
  if (!isObject(given)) return {}
  if (given['inject_into'] !== 'header') return { [String(given['field_name'])]: value }
  report.lost(path, 'the value of a partition is not sent as a header')
  return {}
}
