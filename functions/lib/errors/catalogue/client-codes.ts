import type { ErrorEntry } from './entry.ts'

/** Errors of what calls a storage service: machines, and the commands of `millrace`. */
export const clientCodes = {
  'storage.unreachable': {
    status: 503,
    meaning: 'The storage service did not answer at all.',
    remedy: 'Check its address and the network; machines try again by themselves.',
  },
  'storage.brokenReply': {
    status: 503,
    meaning: 'The storage service sent half a reply, or no JSON.',
    remedy: 'Check that the address is that of a storage service; machines try again by themselves.',
  },
  'storage.ownTokenRefused': {
    status: 503,
    meaning: "The storage service refuses the stack's own token, also after its secret was read again.",
    remedy: 'Machines try again by themselves. If it stays so, store the token of the service in the secret.',
  },
  'storage.jobFailed': {
    meaning: 'A job of the storage service failed, and the service gave no code.',
    remedy: 'Do what the message of the job says.',
  },
  'cli.noStorage': {
    meaning: 'The command knows no storage service.',
    remedy: 'Give --url and --token, or start the embedded cloud with millrace start.',
  },
  'cli.noToken': {
    meaning: 'The command has no token for the service.',
    remedy: 'Set MILLRACE_TOKEN or give --token.',
  },
  'cli.usage': {
    meaning: 'The command was given something that it cannot use.',
    remedy: 'Do what the message says; --help shows what there is.',
  },
  'cli.noStack': {
    meaning: 'The CloudFormation stack cannot be read.',
    remedy: 'Check its name, the region (AWS_REGION) and your credentials of AWS.',
  },
  'cli.keptTokens': {
    meaning: 'The file of tokens of millrace login cannot be read.',
    remedy: 'Mend it, or delete it and log in again.',
  },
  'cli.notFound': {
    meaning: 'What the command is about is not there.',
    remedy: 'Check its name or id.',
  },
  'cli.noFile': {
    meaning: 'The path to upload is not a file.',
    remedy: 'Check the path.',
  },
  'cli.fileChanged': {
    meaning: 'The file was changed while it was uploaded.',
    remedy: 'Upload it again when nobody writes it.',
  },
  'cli.tableId': {
    meaning: 'The name of the table is not a table id.',
    remedy: 'Write it like in.c-main.orders.',
  },
} as const satisfies Record<string, ErrorEntry>
