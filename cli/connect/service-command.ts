import {
  type Call,
  type Command,
  type CommandOptions,
  type CommandWith,
  type FlagsOf,
  flag,
  option,
} from '../shell/command.ts'
import { type Api, createApi } from './api.ts'
import { findStorage, type StorageFlags } from './find-storage.ts'

/** `findStorage` says what stands in for an absent one. */
export const storageOptions = {
  url: option('<address>', 'storage service (default: MILLRACE_URL, else the embedded cloud)'),
  token: option('<token>', 'its token (default: MILLRACE_TOKEN, else that of millrace login)'),
  stack: option('<name>', 'the service of this CloudFormation stack, with the credentials of AWS'),
}

/** Of commands that show something. */
export const jsonOption = { json: flag('print JSON, for programs') }

/** The commands below one that has them have them, too. */
export const serviceOptions = { ...storageOptions, ...jsonOption }
export type ServiceFlags = StorageFlags & { readonly json?: boolean | undefined }

export interface ServiceCall<Flags = object> extends Call<Flags & ServiceFlags> {
  api: Api
}

/** A command that talks to a storage service: finds it first. */
export const serviceCommand = <Options extends CommandOptions>({
  run,
  ...described
}: CommandWith<Options, ServiceCall<FlagsOf<Options>>>): Command => ({
  ...described,
  ...(run && {
    run: async (call: Call<FlagsOf<Options> & ServiceFlags>, ...args: string[]) => {
      const api = createApi(await findStorage(call.flags, call.shell))
      try {
        return await run({ ...call, api }, ...args)
      } catch (error) {
        const { withMeantName } = await import('./meant-names.ts')
        throw await withMeantName(error, api, args)
      }
    },
  }),
})

/** A command below one with the options of the service, which finds the service by itself when it needs it. */
export const belowService = <Options extends CommandOptions>(
  described: CommandWith<Options, Call<FlagsOf<Options> & ServiceFlags>>,
): Command => described
