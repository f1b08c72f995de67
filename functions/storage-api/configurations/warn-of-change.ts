import { recordEvent } from '../events/record-event.ts'
import type { Services } from '../services.ts'
import type { ConfigurationRequest } from './find-configuration.ts'
import type { Verdict } from './judge-change.ts'

/** Warns the author with an event when a configuration was stored although something is wrong with it. */
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
