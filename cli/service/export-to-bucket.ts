import { UserError } from '../../functions/lib/errors/errors.ts'
import { runMachine } from '../connect/run-machine.ts'
import type { ServiceFlags } from '../connect/service-command.ts'
import type { Call } from '../shell/command.ts'
import { exitCodes } from '../shell/say-error.ts'

interface ExportFlags extends ServiceFlags {
  readonly to?: string | undefined
  readonly noHeader?: boolean | undefined
}

/** Runs the export machine: the table becomes one object of any size. */
export const exportToBucket = async (
  tableId: string,
  { flags, shell, out }: Call<ExportFlags>,
): Promise<number> => {
  const { to = '', noHeader = false, stack } = flags
  const url = flags.url ?? (shell.environment['MILLRACE_URL'] || undefined)
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(to) ?? []
  if (bucket === undefined || key === undefined)
    throw new UserError(
      'cli.usage',
      'Say where to: --to s3://bucket/key. millrace download brings a table here.',
    )
  if (stack === undefined && url !== undefined)
    throw new UserError('cli.usage', 'An address has no export machine: give --stack, or millrace download.')
  const input = { tableId, destination: { bucket, key }, gzip: key.endsWith('.gz'), header: !noHeader }
  const ended = await runMachine({ stack, machine: 'export', input }, shell)
  if (ended === undefined) return exitCodes.userError
  out.show(ended.output, `${tableId} is s3://${bucket}/${key}.`)
  return exitCodes.success
}
