import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { plural } from '../../functions/lib/plural.ts'
import { connectMachines } from '../connect/connect-machines.ts'
import type { Call } from '../shell/command.ts'
import type { Shell } from '../shell/shell.ts'
import { bringBack, findFormerObjects, readFormerObjects } from './former-objects.ts'
import { compareItems, copyItems } from './item-copies.ts'
import { checkNames, type NamedObjects } from './named-objects.ts'

export interface RestoreFlags {
  stack?: string | undefined
  /** Table of DynamoDB whose items take the place of all items. */
  items?: string | undefined
  apply?: boolean | undefined
}

/** Some of what is lost: the rest is in the output as JSON. */
const SHOWN = 20

/**
 * Makes the items those of another table, if one is named, and brings back each deleted object that an item names and of
 * which a version is left. Changes nothing without `apply`. Resolves to 1 when something is lost for good.
 *
 * Errors: `cli.noStorage`, `cli.noStack`; `cli.usage` when the stack has no such table, or keeps no versions.
 */
export const restoreInstallation = async ({ flags, shell, out }: Call<RestoreFlags>): Promise<number> => {
  const { items: source, apply = false } = flags
  const stores = await connectStores(flags.stack, shell)
  try {
    const { dynamo, s3, itemTable, tablesBucket } = stores
    if (source === itemTable) throw new UserError('cli.usage', `${source} is the table of the stack itself.`)
    const items =
      source === undefined ? undefined : await compareItems(dynamo, { from: source, to: itemTable })
    const former = await findFormerObjects(s3, tablesBucket)
    // What is deleted is read by its version, so that nothing is changed before all is known.
    readFormerObjects(s3, former)
    const found = await checkNames({ ...stores, itemTable: source ?? itemTable, former })
    if (apply) {
      await bringBack(
        s3,
        tablesBucket,
        found.former.map(key => former.deleted.get(key)),
      )
      if (source !== undefined) await copyItems(dynamo, { from: source, to: itemTable })
    }
    const { lost } = found
    out.show({ applied: apply, items, objects: found.named, broughtBack: found.former, lost }, () => {
      for (const line of sentencesOf({ apply, items, found })) out.line(line)
    })
    return lost.length > 0 ? 1 : 0
  } finally {
    stores.close()
  }
}

interface Report {
  apply: boolean
  items: { written: number; deleted: number } | undefined
  found: NamedObjects
}

const sentencesOf = ({ apply, items, found }: Report): string[] => [
  ...(items
    ? [
        `${plural(items.written, 'item')} ${apply ? 'written' : 'to write'}, ${items.deleted} that came later ${apply ? 'deleted' : 'to delete'}.`,
      ]
    : []),
  `${plural(found.named, 'object')} named by items, ${found.former.length} of them deleted, with a version that ${apply ? 'is the object again' : 'can come back'}.`,
  ...found.lost.slice(0, SHOWN).map(({ by, key, reason }) => `Lost: ${key} of ${by} (${reason}).`),
  ...(found.lost.length > SHOWN ? [`… and ${found.lost.length - SHOWN} more (--json shows all).`] : []),
  ...(!apply && (items || found.former.length > 0) ? ['Nothing was changed: --apply does it.'] : []),
]

/** Where an installation keeps its items and tables, for whoever runs it. */
interface Stores {
  readonly dynamo: DynamoDBClient
  readonly s3: S3Client
  readonly itemTable: string
  readonly tablesBucket: string
  readonly close: () => void
}

/** Errors: `cli.noStorage`, `cli.noStack`; `cli.usage` for a stack without a storage service. */
export const connectStores = async (
  stack: string | undefined,
  shell: Pick<Shell, 'environment' | 'workingFolder'>,
): Promise<Stores> => {
  const { client, outputs, dynamodb, s3: s3Options } = await connectMachines(stack, shell)
  client.destroy()
  const { ItemTable: itemTable, TablesBucket: tablesBucket } = outputs
  if (itemTable === undefined || tablesBucket === undefined)
    throw new UserError(
      'cli.usage',
      'The stack names no items and no tables: deploy this version first. Where the storage service is elsewhere, they are there.',
    )
  const dynamo = new DynamoDBClient(dynamodb)
  const s3 = new S3Client(s3Options)
  const close = (): void => {
    dynamo.destroy()
    s3.destroy()
  }
  return { dynamo, s3, itemTable, tablesBucket, close }
}
