import type { Command } from 'commander'
import { findStorage } from '../find-storage.ts'
import { createOutput, type Output } from '../output/output.ts'
import { exitCodes, sayError } from '../output/say-error.ts'
import type { ServiceFlags } from '../storage-options.ts'
import { type Api, createApi } from './api.ts'

export interface Service {
  api: Api
  out: Output
}

/** Flags of a command and of those that it belongs to. */
export const flagsOf = <Flags extends object>(command: Command): Flags => command.optsWithGlobals() as Flags // The options that the command declares.

/** Does the work of a command on its storage service, and sets the exit code: 0, or what the work resolves to. */
export const runOnService = async (
  flags: ServiceFlags,
  work: (service: Service) => Promise<number | undefined>,
): Promise<void> => {
  const out = createOutput(flags.json === true)
  try {
    const api = createApi(await findStorage(flags))
    process.exitCode = (await work({ api, out })) ?? exitCodes.success
  } catch (error) {
    process.exitCode = sayError(error)
  }
}
