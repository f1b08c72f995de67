import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { connectMachines } from '../connect-machines.ts'
import type { Shell } from '../shell.ts'

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
