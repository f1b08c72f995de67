import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { unpackRecording } from '../../functions/lib/extractor/run/cassette/pack-recording.ts'
import { readRun, recordingFiles } from '../../functions/lib/extractor/run/cassette/recording.ts'
import { recordingTags } from '../../functions/lib/extractor/run/cassette/recording-tags.ts'
import { findStorage } from '../connect/find-storage.ts'
import { pathIn } from '../shell/shell.ts'
import { connectStorage } from '../transfer/connect-storage.ts'
import { parsePlace } from './config-place.ts'
import type { ServiceCall } from './on-service.ts'

export interface RecordingFlags {
  failed?: boolean
}

export const fetchRecording = async (
  { flags, shell, out }: ServiceCall<RecordingFlags>,
  place: string,
  given: string,
): Promise<undefined> => {
  const connection = connectStorage(await findStorage(flags, shell))
  try {
    const end = flags.failed === true ? 'bad' : 'good'
    const { storage } = connection
    const [newest] = await storage.filesWithTags(recordingTags(parsePlace(place), end))
    if (newest === undefined)
      throw new UserError(
        'cli.usage',
        `There is no recording of a ${end} run of ${place} that this token may read. A configuration with "keepRecordings": true keeps them.`,
      )
    const file = await storage.file(newest.id)
    const { bucket, key } = file.s3Path
    const { Body } = await connection.s3For(file).send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    const folder = pathIn(shell, given)
    await makeFolder(folder)
    await unpackRecording(Buffer.from((await Body?.transformToByteArray()) ?? []), folder)
    // The folder is its own DATADIR then
    await writeFile(join(folder, 'config.json'), JSON.stringify((await readRun(folder)).config, undefined, 2))
    const shown = { place, end, recorded: newest.created, folder }
    out.show(shown, () =>
      out.line(`${place}, ${end} run of ${newest.created}: millrace extract ${given} --replay ${given}`),
    )
    return undefined
  } finally {
    connection.close()
  }
}

const makeFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  const isTaken = await readFile(join(folder, recordingFiles.run)).then(
    () => true,
    () => false,
  )
  if (isTaken)
    throw new UserError('extractor.recording.exists', `"${folder}" holds a recording. Name a new folder.`)
}
