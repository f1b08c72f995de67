import { type Api, createApi } from '../connect/api.ts'
import { findStorage } from '../connect/find-storage.ts'
import type { ServiceFlags } from '../connect/storage-options.ts'
import type { Call } from '../shell/command.ts'

export interface ServiceCall<Flags = object> extends Call<Flags & ServiceFlags> {
  api: Api
}

/** The `run` of a command that talks to a storage service: finds it first. */
export const onService =
  <Flags = object>(work: (call: ServiceCall<Flags>, ...args: string[]) => Promise<number | undefined>) =>
  async (call: Call<Flags & ServiceFlags>, ...args: string[]): Promise<number | undefined> =>
    work({ ...call, api: createApi(await findStorage(call.flags, call.shell)) }, ...args)
