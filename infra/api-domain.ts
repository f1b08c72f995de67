import { CfnOutput } from 'aws-cdk-lib'
import { ApiMapping, DomainName, type HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { Construct } from 'constructs'

export interface ApiDomainProps {
  /** `*.example.com`: all names below it. */
  readonly domainName: string
  readonly certificateArn: string
}

/** The customer's own name for the API, which he points at the output `ApiDomainTarget`, or names: clients derive those of its services from `connection.…`. */
export class ApiDomain extends Construct {
  readonly url: string

  constructor(scope: Construct, id: string, http: HttpApi, props: ApiDomainProps) {
    super(scope, id)
    const { domainName, certificateArn } = props
    const domain = new DomainName(this, 'Name', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
    })
    new ApiMapping(this, 'Mapping', { api: http, domainName: domain })
    new CfnOutput(this, 'Target', { value: domain.regionalDomainName }).overrideLogicalId('ApiDomainTarget')
    this.url = `https://${domainName.replace('*', 'connection')}`
  }
}
