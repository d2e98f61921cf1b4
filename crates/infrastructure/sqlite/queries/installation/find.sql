SELECT id AS installation_id FROM installation
