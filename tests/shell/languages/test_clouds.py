"""What code deletes through the libraries of clouds is noted as the command line of the same service."""

import pytest

from tests.shell.read.seen import lines
from tests.shell.read.wrapping import quoted

BOTO = "import boto3\n"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("boto3.client('s3').delete_bucket(Bucket='x')", ["aws boto3 delete-bucket"]),
        ("boto3.Session().client('ec2').terminate_instances(InstanceIds=[])", ["aws boto3 terminate-instances"]),
        ("boto3.resource('s3').Bucket('x').delete()", ["aws boto3 delete-bucket"]),
        ("b = boto3.resource('s3').Bucket('x')\nb.objects.all().delete()", ["aws s3 rm s3:// --recursive"]),
        ("for b in boto3.resource('s3').buckets.all():\n    b.delete()", ["aws boto3 delete-buckets"]),
        ("boto3.resource('s3').Object('x', 'k').delete()", []),
        ("cache = {}\ncache.delete('x')", []),
        ("boto3.client('ec2').terminate_instances(InstanceIds=[], DryRun=True)", []),
        ("from moto import mock_aws\nboto3.client('s3').delete_bucket(Bucket='x')", []),
        ("# moto\nboto3.client('s3').delete_bucket(Bucket='x')", ["aws boto3 delete-bucket"]),
        (
            "boto3.client('s3', endpoint_url='http://localhost:4566').delete_bucket(Bucket='x')",
            ["aws boto3 delete-bucket --endpoint-url=http://localhost:4566"],
        ),
        (
            "boto3.client('s3', endpoint_url='http://localhost:4566')\nboto3.client('s3').delete_bucket(Bucket='x')",
            ["aws boto3 delete-bucket"],
        ),
        ("from google.cloud import storage\nstorage.Client().bucket('x').delete()", ["gcloud bucket delete"]),
        ("from google.cloud import storage\nstorage.Client().bucket('x').blob('k').delete()", []),
        ("from kubernetes import client\nclient.CoreV1Api().delete_namespace('x')", ["kubectl delete namespace x"]),
        ("import docker\ndocker.from_env().volumes.prune()", ["docker volume prune"]),
    ],
)
def test_python_is_read_as_the_command_line(code: str, found: list[str]):
    done = lines(f"python3 -c {quoted(BOTO + code)}")
    assert [line for line in done if not line.startswith("python3")] == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("c.send(new DeleteBucketCommand({})); require('@aws-sdk/client-s3')", ["aws sdk delete-bucket"]),
        ("const AWS = require('aws-sdk'); new AWS.EC2().terminateInstances({})", ["aws sdk terminate-instances"]),
        ("const {DeleteBucketCommand} = require('@aws-sdk/client-s3')", []),
        ("require('aws-sdk'); console.log('s3.deleteBucket ()') // s3.deleteBucket()", []),
        (
            "const {Storage} = require('@google-cloud/storage'); new Storage().bucket('x').delete()",
            ["gcloud bucket delete"],
        ),
        ("const m = new Map(); m.delete('x'); require('@google-cloud/storage')", []),
    ],
)
def test_javascript_is_read_as_the_command_line(code: str, found: list[str]):
    done = lines(f"node -e {quoted(code)}")
    assert [line for line in done if not line.startswith("node")] == found
