import { toText } from '#lib/extractor/values/php/php-values.ts'
import { safeName } from '#lib/extractor/values/php/safe-name.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'

interface ItemFields {
  /** Columns that tell the items apart: at most one. */
  id: string | undefined
  /** When an item last changed, as far as its name says so. */
  time: string | undefined
}

const idNames = [
  /^id$/i,
  /^(uuid|guid|gid)$/i,
  /^(key|code|number|sku|slug|handle)$/i,
  /[a-z0-9]Id$|_id$|ID$/,
]
const timeNames = [
  /^(last_?)?(updated|modified|changed)(_?(at|on|date|time|datetime|timestamp))?$|^last_?(update|modification|change)(_?(date|time))?$|^date_?(updated|modified)$|^system_?modstamp$|^mtime$/i,
  /^(created|inserted)(_?(at|on|date|time|datetime|timestamp))?$|^date_?created$|^(date|timestamp|time)$/i,
]

/** Looks at all items that came: a field that one of them lacks, or that two share, is no id. */
export const findFields = (items: readonly Json[]): ItemFields => {
  const rows = items.filter(isObject)
  const names = rows.length === items.length ? Object.keys(rows[0] ?? {}) : []
  return {
    id: firstOf(idNames, names, name => safeName(name) === name && isUnique(rows.map(row => row[name]))),
    time: firstOf(timeNames, names, name => rows.every(row => row[name] === null || isTime(row[name]))),
  }
}

const firstOf = (
  patterns: readonly RegExp[],
  names: readonly string[],
  fits: (name: string) => boolean,
): string | undefined => {
  for (const pattern of patterns) {
    const found = names.find(name => pattern.test(name) && fits(name))
    if (found !== undefined) return found
  }
  return undefined
}

const isUnique = (values: readonly (Json | undefined)[]): boolean =>
  values.every(
    value =>
      (typeof value === 'string' && value !== '') || typeof value === 'number' || value instanceof JsonNumber,
  ) && new Set(values.map(toText)).size === values.length

/** A date with or without a time, or seconds or milliseconds since 1970. */
const isTime = (value: Json | undefined): boolean => {
  if (typeof value === 'number') return value > 500_000_000 && value < 5_000_000_000_000
  return (
    typeof value === 'string' &&
    /^\d{4}-?\d\d-?\d\d([T ].*)?$/.test(value) &&
    !Number.isNaN(Date.parse(value.slice(0, 10)))
  )
}

/** Parameters that ask only for what changed since a time. */
export const sinceParam =
  /^(since|modified_?since|updated_?since|changed_?since|(updated|modified|changed)(_at)?_?(min|after|from|gte?|since)|(updated|modified)_?at\[(gte?|after|min)\]|if_?modified_?since|start_?time|from_?date|start_?date)$/i
