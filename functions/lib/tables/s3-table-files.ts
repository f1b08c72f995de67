import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { UserError } from '../errors.ts'
import type { ObjectAddress, TableFiles } from './table-files.ts'

export const createS3TableFiles = ({
  s3,
  tablesBucket,
}: {
  s3: S3Client
  tablesBucket: string
}): TableFiles => {
  const open = async ({ bucket, key }: ObjectAddress): Promise<Readable> => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    // On Node the SDK's bodies are Readable streams.
    return Body as Readable
  }
  return {
    readDataFile: async function* (address) {
      yield* await open(address).catch(error => {
        throw error instanceof NoSuchKey ? createFileMissing(address, error) : error
      })
    },
    download: async (key, path) => {
      await pipeline(await open({ bucket: tablesBucket, key }), createWriteStream(path))
    },
    upload: async (path, key) => {
      // A table's file is some MB, and a body of known content is signed and sent in one go.
      const body = await readFile(path)
      await s3.send(new PutObjectCommand({ Bucket: tablesBucket, Key: key, Body: body }))
      return body.length
    },
  }
}

const createFileMissing = ({ key }: ObjectAddress, cause: Error): UserError =>
  new UserError(
    'storage.importFileMissing',
    `The data to import is not in the file storage (${key}). Upload it, then import again.`,
    { cause },
  )
