import * as z from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { path, type Thing } from '../connect/api.ts'
import type { Output } from '../shell/output.ts'

export const placeOnly = { '<place>': 'COMPONENT/CONFIGURATION' }
export const placeOrRow = { '<place>': 'COMPONENT/CONFIGURATION, and /ROW for a row' }

const said = z.object({
  warnings: z._default(z.array(z.object({ place: z.string(), message: z.string() })), []),
})

/** Says what is wrong with what was stored. */
export const sayWarnings = (stored: Thing, out: Output): void => {
  for (const { place, message } of said.parse(stored).warnings) out.say(`${place}: ${message}`)
}

interface ConfigPlace {
  componentId: string
  configId: string
  rowId: string | undefined
  /** The path of the configuration below `/v2/storage/`. */
  root: string
  /** The path of its row, when that is named. */
  self: string
}

/** Reads `component/configuration` or `component/configuration/row`. */
export const parsePlace = (text: string): ConfigPlace => {
  const [componentId, configId, rowId, ...rest] = text.split('/')
  if (!componentId || !configId || rowId === '' || rest.length > 0)
    throw new UserError(
      'cli.usage',
      `"${text}" names no configuration. Write it like ex-generic-v2/shop, or ex-generic-v2/shop/ROW for a row.`,
    )
  const root = path`components/${componentId}/configs/${configId}`
  return {
    componentId,
    configId,
    rowId,
    root,
    self: rowId === undefined ? root : root + path`/rows/${rowId}`,
  }
}
