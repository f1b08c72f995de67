import { previewResult } from '../../functions/lib/extractor/run/preview/preview-schemas.ts'
import { plural } from '../../functions/lib/plural.ts'
import { createApi } from '../connect/api.ts'
import type { ServiceFlags } from '../connect/storage-options.ts'
import type { Call } from '../shell/command.ts'
import { parsePlace, pathOfConfig } from './config-place.ts'

interface PreviewWish {
  place: string
  rows: number
  /** With each request and its answer. */
  showsRequests: boolean
}

/** A preview that the service makes: it opens the secrets of the configuration. Resolves to the exit code. */
export const previewOnService = async (
  { flags, shell, out }: Call<ServiceFlags>,
  { place: source, rows, showsRequests }: PreviewWish,
): Promise<number> => {
  const place = parsePlace(source)
  const { findStorage } = await import('../connect/find-storage.ts')
  const api = createApi(await findStorage(flags, shell))
  const body = { rows, ...(place.rowId !== undefined && { rowId: place.rowId }) }
  const shown = await api.send('POST', `${pathOfConfig(place)}/preview`, previewResult, body)
  out.show(shown, () => {
    const { log, exchanges, tables, stoppedBy, error } = shown
    for (const { level, message } of log) out.say(level === 'info' ? message : `${level}: ${message}`)
    for (const { request, response, failure } of exchanges) {
      out.line(`${request.method} ${request.url}  ${response?.status ?? failure}`, 'bold')
      if (!showsRequests) continue
      if (request.body !== '') out.line(request.body)
      if (response !== null) out.line(response.body + (response.isBodyCut ? '…' : ''))
    }
    for (const { name, rowsCount, columns, rows: cells } of tables) {
      out.line(`${name} (${plural(rowsCount, 'row')})`, 'bold')
      out.table(columns, cells)
    }
    if (stoppedBy !== null) out.line(`Stopped: the limit of ${stoppedBy} of a preview is reached.`, 'yellow')
    if (error !== null) out.line(error.message, 'red')
  })
  return shown.error === null && shown.stoppedBy === null ? 0 : 1
}
