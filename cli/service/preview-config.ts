import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extract } from '../../functions/lib/extractor/run/extract.ts'
import { previewResult } from '../../functions/lib/extractor/run/preview/preview-schemas.ts'
import { plural } from '../../functions/lib/plural.ts'
import { createApi } from '../connect/api.ts'
import { findStorage } from '../connect/find-storage.ts'
import type { ServiceFlags } from '../connect/service-command.ts'
import type { Call } from '../shell/command.ts'
import { previewTables, readTable } from '../shell/preview-tables.ts'
import { parsePlace } from './config-place.ts'
import { isStoredPlace, openSecrets, readUnits } from './config-units.ts'

type PreviewCall = Call<
  ServiceFlags & { rows: number; requests?: boolean | undefined; secret?: string[] | undefined }
>

/** Resolves to the exit code. */
export const previewConfig = (call: PreviewCall, source: string): Promise<number> =>
  call.flags.secret === undefined && isStoredPlace(source, call.shell)
    ? previewOnService(call, source)
    : previewHere(call, source)

/** A preview that the service makes: it opens the secrets of the configuration. */
const previewOnService = async ({ flags, shell, out }: PreviewCall, source: string): Promise<number> => {
  const { root, rowId } = parsePlace(source)
  const api = createApi(await findStorage(flags, shell))
  const shown = await api.send('POST', `${root}/preview`, previewResult, { rows: flags.rows, rowId })
  out.show(shown, () => {
    const { log, exchanges, tables, stoppedBy, error } = shown
    for (const { level, message } of log) out.say(level === 'info' ? message : `${level}: ${message}`)
    for (const { request, response, failure } of exchanges) {
      out.line(`${request.method} ${request.url}  ${response?.status ?? failure}`, 'bold')
      if (!flags.requests) continue
      if (request.body !== '') out.line(request.body)
      if (response !== null) out.line(response.body + (response.isBodyCut ? '…' : ''))
    }
    for (const { name, rowsCount, columns, rows } of tables) {
      out.line(`${name} (${plural(rowsCount, 'row')})`, 'bold')
      out.table(columns, rows)
    }
    if (stoppedBy !== null) out.line(`Stopped: the limit of ${stoppedBy} of a preview is reached.`, 'yellow')
    if (error !== null) out.line(error.message, 'red')
  })
  return shown.error === null && shown.stoppedBy === null ? 0 : 1
}

const previewHere = async (call: PreviewCall, source: string): Promise<number> => {
  const { flags, out } = call
  const shown: { name: string; rows: string[][] }[] = []
  for (const unit of await readUnits(source, call)) {
    const config = openSecrets(unit.configuration, flags.secret ?? [])
    const folder = await mkdtemp(join(tmpdir(), 'millrace-preview-'))
    try {
      const result = await extract({
        config,
        outDir: join(folder, 'tables'),
        spoolDir: join(folder, 'spool'),
        now: () => Date.now() / 1000,
        graceSeconds: 0,
        guard: false,
        maxRows: flags.rows,
        log: ({ level, message }) => out.say(level === 'info' ? message : `${level}: ${message}`),
      })
      if (!result.finished) throw new Error('The extraction was stopped before its end')
      if (!out.isJson) out.line(await previewTables(result.tables))
      else for (const table of result.tables) shown.push({ name: table.name, rows: await readTable(table) })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  if (out.isJson) out.show(shown, '')
  return 0
}
