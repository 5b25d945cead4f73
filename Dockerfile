# cabernet on Debian 12:
#   docker build -t cabernet .
#   docker run --rm -v "$PWD:/work" cabernet -Xprofile:call-tree -cp classes Main
FROM debian:12 AS build
COPY . /src
WORKDIR /src
RUN apt-get update && scripts/setup && make -j"$(nproc)" && make deb

FROM debian:12
COPY --from=build /src/build/deb/*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["cabernet"]
