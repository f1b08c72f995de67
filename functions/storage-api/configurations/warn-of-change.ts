import { recordEvent } from '../events/record-event.ts'
import type { Services } from '../services.ts'
import type { ConfigurationRequest } from './find-configuration.ts'
import type { Verdict } from './judge-change.ts'

/** Tells the author, by an event, what is wrong with a configuration that was stored all the same. */
export const warnOfChange = async (
  request: Omit<ConfigurationRequest, 'raw'>,
  services: Services,
  { refusal, warnings }: Verdict,
): Promise<void> => {
  const all = refusal === undefined ? warnings : [...warnings, `It cannot run: ${refusal.message}`]
  if (all.length === 0) return
  const { componentId, configId } = request.params
  await recordEvent(request, services, {
    type: 'warn',
    event: 'storage.configurationDoubtful',
    component: componentId,
    configurationId: configId,
    message: `The configuration was stored, but: ${all.join('\n')}`.slice(0, MAX_MESSAGE),
  })
}

const MAX_MESSAGE = 4000
