import { argument, type Command, option } from '../shell/command.ts'
import type { RecordingFlags } from './fetch-recording.ts'
import { onService } from './on-service.ts'

/** What scheduled runs recorded, to be replayed here (docs/extraction.md#recordings). */
export const recordingCommand: Command = {
  description: 'bring the recording of the last run here, to replay it without a network',
  args: [
    argument('<place>', 'COMPONENT/CONFIGURATION, and /ROW for a row'),
    argument('<folder>', 'a new folder'),
  ],
  options: [option('--failed', 'of the last run that failed, not of the last good one')],
  run: onService<RecordingFlags>(async (call, place, folder) => {
    const { fetchRecording } = await import('./fetch-recording.ts')
    return fetchRecording(call, place, folder)
  }),
}
