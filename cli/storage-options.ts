import type { Command } from 'commander'

/** Which storage service a command talks to. `findStorage` says what stands in for an absent one. */
export interface StorageFlags {
  url?: string | undefined
  token?: string | undefined
}

export const addStorageOptions = (command: Command): Command =>
  command
    .option('--url <address>', 'storage service (default: MILLRACE_URL, else the embedded cloud)')
    .option('--token <token>', 'its token (default: MILLRACE_TOKEN)')
