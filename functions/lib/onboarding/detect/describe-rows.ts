import type { JsonObject } from '#lib/json/json-value.ts'
import { answerFields, pathOf } from './answer-fields.ts'
import type { Draft } from './draft.ts'
import { findFields, sinceParam } from './item-fields.ts'
import type { SeenAnswer } from './paging-guess.ts'
import { isTotalName } from './paging-names.ts'

/** Adds what the rows themselves show: the key of the table, the time for incremental runs, the total to check against. */
export const describeRows = (draft: Draft, seen: SeenAnswer): Draft => {
  const { config } = draft.parameters
  const [job = {}] = config.jobs
  const why = [...(job['__why'] as string[])] // each job of a draft has it
  const keys: JsonObject = {}
  const { id, time } = findFields(seen.items)
  if (id !== undefined) {
    keys['primaryKey'] = [id]
    why.push(`Key: "${id}" is there and different in each of ${seen.items.length} rows.`)
  } else if (seen.items.length > 0)
    why.push('Key: none. No field is an id by its name and different in each row.')

  const params = job['params'] as JsonObject | undefined // a draft writes an object or a list
  const since = Object.keys(params ?? {}).find(name => sinceParam.test(name))
  if (time !== undefined && since !== undefined && id !== undefined) {
    const { [since]: initial, ...rest } = params ?? {}
    keys['incremental'] = { idKey: time, param: since, type: 'date', initial: initial ?? '' }
    job['params'] = rest
    why.push(
      `Incremental: the next run sends the latest "${time}" as "${since}"; the first run sends what the request had.`,
    )
  } else if (time !== undefined)
    why.push(
      `"${time}" is the time of a row. If the API can ask for rows since a time, "incremental" reads only what changed: {"idKey": "${time}", "param": "<its parameter>", "type": "date"}.`,
    )

  const total = totalOf(seen)
  if (total !== undefined && draft.parameters.api['pagination'] !== undefined) {
    keys['completeness'] = { mode: 'warn', total: total.where }
    why.push(`Completeness: ${total.why}, so each run is compared with it.`)
  }
  const { __why: _, params: kept, ...others } = job
  const isBare = kept === undefined || (!Array.isArray(kept) && Object.keys(kept as JsonObject).length === 0)
  return {
    parameters: {
      ...draft.parameters,
      config: {
        ...config,
        jobs: [{ __why: why, ...others, ...(isBare ? {} : { params: kept }), ...keys }],
      },
    },
  }
}

/** Only a total above the rows of the first answer is one of all pages for sure. */
const totalOf = ({ answer, itemKeys, items, total }: SeenAnswer) => {
  if (/^\d+$/.test(total ?? ''))
    return {
      where: { header: 'X-Total-Count' },
      why: 'the header X-Total-Count says how many rows there are',
    }
  const field = answerFields(answer, itemKeys).find(
    ({ name, value }) =>
      isTotalName(name) && typeof value === 'number' && Number.isInteger(value) && value >= items.length,
  )
  const path = field && /^(?!count$)/i.test(field.name) ? pathOf(field.keys) : undefined
  return path === undefined ? undefined : { where: path, why: `"${path}" says how many rows there are` }
}
