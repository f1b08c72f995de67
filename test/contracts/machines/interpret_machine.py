"""Runs state machines with moto's interpreter: a line of JSON in, {definition, input, answers}; a line out.

`answers` has what the tasks of each state give, call by call: {"result"} or {"error"}. No wait and no pause lasts.
"""

import functools
import json
import logging
import os
import re
import sys
import time
import uuid
from types import SimpleNamespace

os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test")
import boto3
from moto import mock_aws
from moto.stepfunctions.parser.api import HistoryEventType
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import CustomErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl
from moto.stepfunctions.parser.asl.component.common.string import string_expression
from moto.stepfunctions.parser.asl.component.state.exec.state_task import lambda_eval_utils
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import state_task_service_sqs
from moto.stepfunctions.parser.asl.component.state.state import CommonStateField
from moto.stepfunctions.parser.asl.component.state.wait.wait_function.wait_function import WaitFunction
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails
from moto.stepfunctions.parser.asl.utils import json_path

MOST_STATES = 200
logging.disable(logging.CRITICAL)
entered, calls, answers = [], [], {}


def answer(env, given):
    state = env.next_state_name
    asked = sum(1 for called, _ in calls if called == state)
    calls.append((state, given))
    listed = answers.get(state, [])
    found = listed[asked] if asked < len(listed) else {"error": "Made.Up"}
    if "error" not in found:
        return json.loads(json.dumps(found["result"]))
    details = {"error": found["error"], "cause": "mocked"}
    raise FailureEventException(
        FailureEvent(
            env=env,
            error_name=CustomErrorName(found["error"]),
            event_type=HistoryEventType.TaskFailed,
            event_details=EventDetails(taskFailedEventDetails=details),
        )
    )


def invoke(env, parameters, region, state_credentials):
    env.stack.append({"Payload": answer(env, json.loads(parameters["Payload"]))})


def send(self, env, resource_runtime_part, normalised_parameters, state_credentials):
    env.stack.append(answer(env, normalised_parameters))


of_moto = json_path.extract_json


def extract(path, data):
    found = of_moto(path, data)
    # Moto makes a list of what lies behind an index (its issue 7825), also where the path names one value.
    return found[0] if re.search(r"\[\d+\]\.", path) else found


enter = CommonStateField._eval_body


def note(self, env):
    entered.append(self.name)
    if len(entered) > MOST_STATES:
        raise RuntimeError("It goes round.")
    enter(self, env)


string_expression.extract_json = extract
json_path.parse = functools.cache(json_path.parse)
lambda_eval_utils.execute_lambda_function_integration = invoke
state_task_service_sqs.StateTaskServiceSqs._eval_service_task = send
CommonStateField._eval_body = note
WaitFunction._wait_interval = lambda self, env, wait_seconds: None
retrier_decl.time = SimpleNamespace(sleep=lambda seconds: None)
machines = {}


def run(client, definition, given):
    entered.clear()
    calls.clear()
    if definition not in machines:
        machine = client.create_state_machine(
            name=f"m{len(machines)}", definition=definition, roleArn="arn:aws:iam::123456789012:role/r"
        )
        machines[definition] = machine["stateMachineArn"]
    started = client.start_execution(
        stateMachineArn=machines[definition], name=uuid.uuid4().hex, input=json.dumps(given)
    )
    found = {"status": "RUNNING"}
    while found["status"] == "RUNNING":
        time.sleep(0.01)
        found = client.describe_execution(executionArn=started["executionArn"])
    time.sleep(0.01)  # The end is told before the output.
    found = client.describe_execution(executionArn=started["executionArn"])
    return {
        "status": found["status"],
        "error": found.get("error"),
        "cause": read(found.get("cause")),
        "output": read(found.get("output")),
    }


def read(output):
    try:
        return output and json.loads(output)
    except ValueError:
        return output  # Moto gives a text without its quotes.


out, sys.stdout = sys.stdout, sys.stderr
with mock_aws(config={"stepfunctions": {"execute_state_machine": True}}):
    client = boto3.client("stepfunctions", region_name="us-east-1")
    for line in sys.stdin:
        asked = json.loads(line)
        answers.clear()
        answers.update(asked["answers"])
        ended = run(client, asked["definition"], asked["input"])
        print(json.dumps({**ended, "entered": entered, "calls": calls}), file=out, flush=True)
