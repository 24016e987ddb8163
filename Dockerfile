# `whyword serve` in a container: the wheel with the page and its API, and nothing else of this
# repository. docs/web.md says how to run it. Not built yet: tests/test_container.py tries what can be
# tried without an engine.

ARG PYTHON=3.11

FROM python:${PYTHON}-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:${PYTHON}-slim
COPY constraints.txt /wheels/
COPY --from=build /wheels/*.whl /wheels/
RUN python -m pip install --no-cache-dir --constraint /wheels/constraints.txt \
      "$(echo /wheels/*.whl)[web]"
# the cache has the compiled loops, which are of the machine that runs them
RUN useradd --uid 10001 --create-home whyword \
  && install --directory --owner whyword /home/whyword/.cache /models
USER whyword
WORKDIR /home/whyword
EXPOSE 8765
# all of the container's addresses, so that a published port reaches it; who may come in is up to
# what publishes the port, and to WHYWORD_TOKEN
ENTRYPOINT ["whyword", "serve", "--host", "0.0.0.0", "--port", "8765", "--no-open"]
CMD ["/models/model"]
# it prepares a corpus, and compiles loops the first time, before it answers
HEALTHCHECK --interval=30s --timeout=5s --start-period=5m \
  CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/healthz', timeout=4)"]
