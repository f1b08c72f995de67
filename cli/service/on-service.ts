import type { Call } from '../command.ts'
import { findStorage } from '../find-storage.ts'
import type { ServiceFlags } from '../storage-options.ts'
import { type Api, createApi } from './api.ts'

export interface ServiceCall<Flags = object> extends Call<Flags & ServiceFlags> {
  api: Api
}

/** The `run` of a command that talks to a storage service: finds it first. */
export const onService =
  <Flags = object>(work: (call: ServiceCall<Flags>, ...args: string[]) => Promise<number | undefined>) =>
  async (call: Call<Flags & ServiceFlags>, ...args: string[]): Promise<number | undefined> =>
    work({ ...call, api: createApi(await findStorage(call.flags, call.shell)) }, ...args)
