import { option } from '../shell/command.ts'

/** Which storage service a command talks to. `findStorage` says what stands in for an absent one. */
export interface StorageFlags {
  url?: string | undefined
  token?: string | undefined
  /** CloudFormation stack of a deployed service. */
  stack?: string | undefined
}

/** Of commands that show something. */
export interface ServiceFlags extends StorageFlags {
  json?: boolean | undefined
}

export const storageOptions = [
  option('--url <address>', 'storage service (default: MILLRACE_URL, else the embedded cloud)'),
  option('--token <token>', 'its token (default: MILLRACE_TOKEN, else that of millrace login)'),
  option('--stack <name>', 'the service of this CloudFormation stack, with the credentials of AWS'),
]

export const jsonOption = option('--json', 'print JSON, for programs')

export const serviceOptions = [...storageOptions, jsonOption]
